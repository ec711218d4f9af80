package dev.throughline.test

import com.sun.net.httpserver.HttpServer
import dev.throughline.FileStorage
import dev.throughline.HttpRequest
import dev.throughline.UrlConnectionHttp
import java.io.File
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.ServerSocket
import java.nio.file.Files
import java.util.Collections
import kotlin.concurrent.thread
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull

private val LOOPBACK = InetAddress.getLoopbackAddress()

internal fun Tests.portTests() {
    test("files keep texts over restarts, and half a write that a kill left is not read") {
        val directory = Files.createTempDirectory("throughline-test").toFile()
        try {
            runBlocking {
                val storage = FileStorage(File(directory, "made/later"))
                assertNull(storage.get("state"))
                storage.remove("state")
                for (value in listOf("old", "é😀\n")) storage.set("state", value)
                File(directory, "made/later/state.new").writeText("ha")
                assertEquals("é😀\n", FileStorage(File(directory, "made/later")).get("state"))
                storage.remove("state")
                assertNull(storage.get("state"))
            }
        } finally {
            directory.deleteRecursively()
        }
    }

    test("a reader of a file gets one whole value or another while it is written") {
        val directory = Files.createTempDirectory("throughline-test").toFile()
        try {
            val storage = FileStorage(directory)
            val values = listOf("a", "b").map { it.repeat(300_000) }
            runBlocking { storage.set("state", values[0]) }
            val writer = thread { repeat(100) { runBlocking { storage.set("state", values[it % 2]) } } }
            while (writer.isAlive) assertTrue(runBlocking { storage.get("state") } in values)
        } finally {
            directory.deleteRecursively()
        }
    }

    test("writes of many threads at once leave one whole value, and none fails") {
        val directory = Files.createTempDirectory("throughline-test").toFile()
        try {
            val storage = FileStorage(directory)
            val values = (1..4).map { "$it".repeat(100_000 * it) }
            val failed = Collections.synchronizedList(mutableListOf<Throwable>())
            val writers = values.map { value ->
                thread { repeat(25) { runCatching { runBlocking { storage.set("state", value) } }.onFailure(failed::add) } }
            }
            writers.forEach { it.join() }
            assertEquals(emptyList(), failed)
            assertTrue(runBlocking { storage.get("state") } in values)
        } finally {
            directory.deleteRecursively()
        }
    }

    for (status in listOf(200, 302, 401, 404, 503))
        test("an answer with status $status is an answer, and a redirect is not followed") {
            val (url, stop) = serve(status)
            try {
                for ((method, body) in listOf("POST" to """{"a":"é"}""", "GET" to null)) {
                    val request = HttpRequest(method, url, mapOf("x-api-key" to "k"), body)
                    val answer = runBlocking { UrlConnectionHttp().send(request) }
                    // The JDK keeps no body of a 401 to a POST.
                    val text = if (status == 401 && body != null) "" else "$method k ${body.orEmpty()}"
                    assertEquals(Triple(status, "7", text), Triple(answer.status, answer.headers["retry-after"], answer.body))
                }
            } finally {
                stop()
            }
        }

    test("a request whose answer is lost is sent once, and fails") {
        val scene = Sockets { it.getInputStream().read() }
        scene.use { assertFailsWith<IOException> { runBlocking { post(it.url) } } }
        assertEquals(1, scene.accepted)
    }

    test("an answer without an end is given up") {
        val scene = Sockets {
            val out = it.getOutputStream()
            out.write("HTTP/1.1 200 OK\r\n\r\n".toByteArray())
            while (true) out.write(ByteArray(100_000))
        }
        scene.use { assertFailsWith<IOException> { runBlocking { post(it.url) } } }
    }

    test("a request that is cancelled ends at once, although the service is silent") {
        val scene = Sockets { Thread.sleep(20_000) }
        val start = System.nanoTime()
        scene.use { runBlocking { assertNull(withTimeoutOrNull(300) { post(it.url) }) } }
        assertTrue(System.nanoTime() - start < 5_000_000_000)
    }
}

private suspend fun post(url: String) = UrlConnectionHttp().send(HttpRequest("POST", url, emptyMap(), "{}"))

/** Answers the request itself. */
private fun serve(status: Int): Pair<String, () -> Unit> {
    val server = HttpServer.create(InetSocketAddress(LOOPBACK, 0), 0)
    server.createContext("/") { exchange ->
        val body = exchange.requestBody.readBytes().decodeToString()
        val answer = "${exchange.requestMethod} ${exchange.requestHeaders.getFirst("x-api-key")} $body".toByteArray()
        exchange.responseHeaders.set("Retry-After", "7")
        exchange.responseHeaders.set("Location", "/elsewhere")
        exchange.sendResponseHeaders(status, answer.size.toLong())
        exchange.responseBody.use { it.write(answer) }
    }
    server.start()
    return "http://127.0.0.1:${server.address.port}/" to { server.stop(0) }
}

/** A service that does with each connection what a test says, and closes it. */
private class Sockets(act: (java.net.Socket) -> Unit) : AutoCloseable {
    private val server = ServerSocket(0, 50, LOOPBACK)
    val url = "http://127.0.0.1:${server.localPort}/"

    @Volatile var accepted = 0

    init {
        thread(isDaemon = true) {
            while (!server.isClosed)
                runCatching {
                    server.accept().use {
                        accepted++
                        act(it)
                    }
                }
        }
    }

    override fun close() = server.close()
}
