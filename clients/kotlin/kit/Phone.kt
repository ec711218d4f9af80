package dev.throughline.kit

import dev.throughline.Config
import dev.throughline.Consent
import dev.throughline.Explanation
import dev.throughline.FileStorage
import dev.throughline.Fingerprint
import dev.throughline.JsonObject
import dev.throughline.LinkSource
import dev.throughline.Platform
import dev.throughline.Ports
import dev.throughline.Revenue
import dev.throughline.StoreReferrer
import dev.throughline.Throughline
import dev.throughline.toMap
import java.io.File
import java.util.concurrent.CopyOnWriteArraySet
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch

/** Plays the system around the client. */
internal class Phone(private val storage: File, private val say: (JsonObject) -> Unit) {
    private lateinit var client: Throughline
    private val urlListeners = CopyOnWriteArraySet<(String) -> Unit>()

    /** @return the value of the answer. */
    suspend fun act(command: JsonObject, scope: CoroutineScope): Any? {
        when (val name = command.text("do")) {
            "start" -> start(command)
            "listen" -> client.onDeepLink { say(mapOf("said" to "link", "link" to toMap(it))) }
            "url" -> urlListeners.forEach { it(command.need("url")) }
            "handleUrl" -> return client.handleUrl(command.need("url"))?.let(::toMap)
            "claim" -> return client.claim(command.need("text"))?.let(::toMap)
            "firstOpen" -> return toMap(client.firstOpen())
            "track" -> client.track(command.need("name"), command.fields("properties"), revenueOf(command))
            "identify" -> client.identify(command.need("userId"))
            "setConsent" -> client.setConsent(consentOf(command.need("consent")))
            "flush" -> client.flush()
            // The system does not wait for the app.
            "background", "foreground" -> scope.launch { client.flush() }
            "reset" -> client.reset()
            "explain" -> return toMap(client.explain())
            else -> throw IllegalArgumentException("There is no command “$name”.")
        }
        return null
    }

    private suspend fun start(command: JsonObject) {
        val config = requireNotNull(command.fields("config"))
        client =
            Throughline(
                Config(
                    baseUrl = config.need("baseUrl"),
                    key = config.need("key"),
                    hosts = (config["hosts"] as? List<*>)?.filterIsInstance<String>(),
                    consent = consentOf(config.text("consent") ?: "granted"),
                    firstOpenTimeoutMs = (config["firstOpenTimeoutMs"] as? Long) ?: 1_500,
                ),
                Ports(
                    storage = FileStorage(storage),
                    device = { fingerprintOf(requireNotNull(command.fields("device"))) },
                    referrer = { referrerOf(command.fields("referrer")) },
                    clipboard = { command.text("clipboard") },
                    links = linksOf(command),
                ),
            )
        client.start()
    }

    private fun linksOf(command: JsonObject) =
        object : LinkSource {
            override suspend fun initial() = command.text("initialUrl")

            override fun launchId() = command.text("launchId")

            override fun subscribe(listener: (String) -> Unit): AutoCloseable {
                urlListeners += listener
                return AutoCloseable { urlListeners -= listener }
            }
        }
}

private fun JsonObject.need(name: String): String = requireNotNull(text(name)) { "The command has no “$name”." }

private fun consentOf(wire: String): Consent = requireNotNull(Consent.of(wire)) { "There is no consent “$wire”." }

private suspend fun referrerOf(fields: JsonObject?): StoreReferrer? {
    if (fields?.get("hangs") == true) awaitCancellation()
    return fields?.text("installReferrer")?.let { StoreReferrer(it) }
}

private fun revenueOf(command: JsonObject): Revenue? =
    command.fields("revenue")?.let { Revenue(it.need("amount"), it.need("currency"), it.text("transactionId")) }

private fun fingerprintOf(fields: JsonObject) =
    Fingerprint(
        platform = Platform.valueOf(fields.need("platform")),
        userAgent = fields.text("userAgent"),
        osVersion = fields.text("osVersion"),
        deviceModel = fields.text("deviceModel"),
        screenWidth = (fields["screenWidth"] as? Number)?.toInt(),
        screenHeight = (fields["screenHeight"] as? Number)?.toInt(),
        screenDensity = (fields["screenDensity"] as? Number)?.toDouble(),
        locale = fields.text("locale"),
        timezone = fields.text("timezone"),
        appVersion = fields.text("appVersion"),
    )

private fun toMap(told: Explanation): JsonObject =
    mapOf(
        "installId" to told.installId,
        "consent" to told.consent.name,
        "firstOpen" to told.firstOpen?.let(::toMap),
        "reason" to told.reason,
        "trace" to told.trace,
        "queuedEvents" to told.queuedEvents,
        "droppedEvents" to told.droppedEvents,
    )
