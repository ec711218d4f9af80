package dev.throughline.android.test

import dev.throughline.Http
import dev.throughline.HttpRequest
import dev.throughline.HttpResponse
import dev.throughline.JsonObject
import dev.throughline.Storage
import dev.throughline.android.AppStorage
import dev.throughline.android.LogListener
import dev.throughline.android.Throughline
import dev.throughline.android.ThroughlineConfig
import dev.throughline.asObject
import dev.throughline.readObject
import dev.throughline.writeJson
import fakes.FakePhone
import java.io.File
import java.io.IOException
import java.nio.file.Files
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout

internal const val BASE_URL = "https://go.example.com"
internal const val RED = "$BASE_URL/l/red"

/** A phone with one app and a service that answers. */
internal class World(val directory: File = Files.createTempDirectory("throughline-android").toFile()) : AutoCloseable {
    val phone = FakePhone(directory)
    val service = Service()
    val links = CopyOnWriteArrayList<String>()
    val log = CopyOnWriteArrayList<String>()
    val config =
        ThroughlineConfig(BASE_URL, "svc_live_pub_1").apply { logListener = LogListener { log += it.message } }
    /** By how much the clock of the phone is ahead, in milliseconds. */
    @Volatile var clock = 0L
    private val clients = mutableListOf<Throughline>()

    fun start(storage: Storage = AppStorage(phone.app)): Throughline {
        val client = Throughline(phone.app, config, Throughline.Parts(storage, service, { System.currentTimeMillis() + clock }))
        clients += client
        client.onDeepLink { links += it.url ?: it.path }
        return client
    }

    override fun close() {
        runBlocking { clients.forEach { it.shutdown() } }
        directory.deleteRecursively()
    }
}

/** Keeps what arrives, and answers as the service does. */
internal class Service : Http {
    class Call(val path: String, val body: JsonObject)

    val calls = CopyOnWriteArrayList<Call>()

    @Volatile var isReached = true

    override suspend fun send(request: HttpRequest): HttpResponse {
        if (!isReached) throw IOException("no network")
        val path = request.url.removePrefix(BASE_URL)
        val body = request.body?.let(::readObject).orEmpty()
        calls += Call(path, body)
        val answer: JsonObject =
            when (path) {
                "/v1/sdk/install" -> mapOf("attributed" to false, "method" to "ORGANIC", "installId" to body["installId"])
                "/v1/sdk/resolve" -> mapOf("deepLinkPath" to "/shoes/red", "deepLinkParams" to emptyMap<String, Any?>())
                "/v1/sdk/events" -> mapOf("results" to (body["events"] as List<*>).map { mapOf("status" to 201) })
                else -> emptyMap()
            }
        return if (path == "/v1/sdk/identify") HttpResponse(204, emptyMap(), "") else HttpResponse(200, emptyMap(), writeJson(answer))
    }

    fun of(path: String): List<JsonObject> = calls.filter { it.path == "/v1/sdk/$path" }.map { it.body }

    val install: JsonObject
        get() = soon { of("install").firstOrNull() }

    val fingerprint: JsonObject
        get() = requireNotNull(install["fingerprint"].asObject())
}

/** What a test waits for; the machine may be slow. */
internal fun <T : Any> soon(read: () -> T?): T = runBlocking {
    withTimeout(10_000) {
        while (true) {
            read()?.let { return@withTimeout it }
            delay(5)
        }
        error("unreachable")
    }
}

internal fun soonTrue(read: () -> Boolean) {
    soon { true.takeIf { read() } }
}

/** For what must not come. */
internal fun aWhile(ms: Long = 300): Unit = runBlocking { delay(ms) }
