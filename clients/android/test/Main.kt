/** Runs the tests. The compiler brings the assertions of `kotlin.test`, and no JUnit that its annotations need. */
package dev.throughline.android.test

import kotlin.system.exitProcess

internal class Tests {
    private var passed = 0
    private val failed = mutableListOf<String>()

    /** @param title the guarantee. */
    fun test(title: String, body: World.() -> Unit) {
        try {
            World().use(body)
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
