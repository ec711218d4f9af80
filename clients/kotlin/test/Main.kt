package dev.throughline.test

import kotlin.system.exitProcess

internal class Tests : Runner() {
    fun test(title: String, body: () -> Unit): Unit = run(title, body)
}

fun main() {
    val tests = Tests()
    val all =
        listOf(
            Tests::jsonTests,
            Tests::linkTests,
            Tests::laneTests,
            Tests::apiTests,
            Tests::stateTests,
            Tests::eventQueueTests,
            Tests::portTests,
            Tests::formatTests,
            Tests::storageTests,
            Tests::installTests,
            Tests::refusedTests,
            Tests::logTests,
            Tests::openTests,
            Tests::deferredTests,
            Tests::eventTests,
            Tests::consentTests,
            Tests::createLinkTests,
            Tests::appVersionTests,
            Tests::threadTests,
            Tests::killTests,
        )
    for (add in all) add(tests)
    exitProcess(tests.report())
}
