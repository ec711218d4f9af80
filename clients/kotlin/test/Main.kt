/** Runs the tests. The compiler brings the assertions of `kotlin.test`, and no JUnit that its annotations need. */
package dev.throughline.test

import kotlin.system.exitProcess

internal class Tests {
    private var passed = 0
    private val failed = mutableListOf<String>()

    /** @param title the guarantee. */
    fun test(title: String, body: () -> Unit) {
        try {
            body()
            passed++
        } catch (error: Throwable) {
            failed += title
            println("FAIL $title\n${error.stackTraceToString().lines().take(12).joinToString("\n")}\n")
        }
    }

    /** @return the exit code. */
    fun report(): Int {
        println("$passed passed, ${failed.size} failed")
        return if (failed.isEmpty()) 0 else 1
    }
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
