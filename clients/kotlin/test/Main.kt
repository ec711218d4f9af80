package dev.throughline.test
fun main() {}
