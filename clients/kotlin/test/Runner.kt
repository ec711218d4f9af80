package dev.throughline.test

/** Runs tests. The compiler brings the assertions of `kotlin.test`, and no JUnit that its annotations need. */
internal abstract class Runner {
    private var passed = 0
    private val failed = mutableListOf<String>()

    /** @param title the guarantee. */
    protected fun run(title: String, body: () -> Unit) {
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
