/** The client as a program of the conformance kit: commands on standard input, answers on standard output. */
package dev.throughline.kit

import dev.throughline.JsonObject
import dev.throughline.readObject
import dev.throughline.writeJson
import java.io.File
import kotlin.system.exitProcess
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

fun main(): Unit = runBlocking {
    val phone = Phone(File(System.getenv("THROUGHLINE_STORAGE") ?: "."), ::say)
    while (true) {
        val command = readObject(withContext(Dispatchers.IO) { readlnOrNull() } ?: break) ?: continue
        // Up to where it waits, so that commands begin in their order.
        launch(start = CoroutineStart.UNDISPATCHED) { answer(phone, command) }
    }
    // The system ends the app, whatever it waits for.
    exitProcess(0)
}

private suspend fun CoroutineScope.answer(phone: Phone, command: JsonObject) {
    val result =
        try {
            mapOf("value" to phone.act(command, this))
        } catch (cause: UnsupportedException) {
            mapOf("unsupported" to cause.message)
        } catch (cause: Exception) {
            mapOf("error" to cause.stackTraceToString())
        }
    say(mapOf("said" to "answer", "id" to command["id"]) + result)
}

/** One write for each line: listeners are called on other threads. */
private fun say(line: JsonObject) {
    synchronized(System.out) {
        System.out.write("${writeJson(line)}\n".toByteArray())
        System.out.flush()
    }
}
