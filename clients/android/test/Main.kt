package dev.throughline.android.test

import dev.throughline.test.Runner
import kotlin.system.exitProcess

internal class Tests : Runner() {
    fun test(title: String, body: World.() -> Unit): Unit = run(title) { World().use(body) }
}

fun main() {
    val tests = Tests()
    val all =
        listOf(
            Tests::deviceTests,
            Tests::playTests,
            Tests::metaTests,
            Tests::clipboardTests,
            Tests::linkTests,
            Tests::storageTests,
            Tests::lifecycleTests,
            Tests::consentTests,
            Tests::javaTests,
        )
    for (add in all) add(tests)
    exitProcess(tests.report())
}
