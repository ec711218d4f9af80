package dev.throughline.kit

import dev.throughline.Config
import dev.throughline.FileStorage
import dev.throughline.Fingerprint
import dev.throughline.JsonObject
import dev.throughline.LinkSource
import dev.throughline.MetaReferrer
import dev.throughline.Platform
import dev.throughline.Ports
import dev.throughline.StoreReferrer
import dev.throughline.Throughline
import dev.throughline.toMap
import java.io.File
import java.util.concurrent.CopyOnWriteArraySet
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch

/** Plays the system around the client. */
internal class Phone(directory: File, private val say: (JsonObject) -> Unit) {
    private val storage = FaultyStorage(FileStorage(directory))
    private val urlListeners = CopyOnWriteArraySet<(String) -> Unit>()
    private lateinit var client: Throughline
    private lateinit var start: JsonObject

    @Volatile private var aheadMs = 0L

    /** @return the value of the answer. */
    suspend fun act(command: JsonObject, scope: CoroutineScope): Any? {
        when (val name = command.text("do")) {
            "start" -> start(command)
            "second" -> client = create().also { it.start() }
            "listen" -> client.onDeepLink { say(lineOf(it)) }
            "url" -> urlListeners.forEach { it(command.need("url")) }
            "track" -> track(command)
            "identify" -> client.identify(command.need("userId"))
            "logout" -> client.logout()
            "setConsent" -> client.setConsent(consentOf(command.need("consent")))
            "flush" -> client.flush()
            // The system does not wait for the app.
            "background", "foreground" -> scope.launch { client.flush() }
            "reset" -> client.reset()
            "shutdown" -> client.shutdown()
            "clock" -> aheadMs = command.long("aheadMs")
            "storage" -> storage.set(command.text("fault"))
            else -> return ask(name, command)
        }
        return null
    }

    private fun track(command: JsonObject) {
        val standard = command.text("standard")
        if (standard != null) client.track(standardEventOf(standard, command.fields("fields").orEmpty()))
        else client.track(command.need("name"), command.fields("properties"), revenueOf(command))
    }

    private suspend fun ask(name: String?, command: JsonObject): JsonObject? =
        when (name) {
            "handleUrl" -> client.handleUrl(command.need("url"), command.text("launchId"))?.let(::toMap)
            "claim" -> client.claim(command.need("text"))?.let(::toMap)
            "firstOpen" -> toMap(client.firstOpen())
            "explain" -> toMap(client.explain())
            "createLink" -> createLink(command, client::createLink)
            else -> throw IllegalArgumentException("There is no command “$name”.")
        }

    private suspend fun start(command: JsonObject) {
        refuseApple(command)
        start = command
        aheadMs = command.long("clockAheadMs")
        storage.set(command.text("storage"))
        client = create()
        client.start()
    }

    private fun create(): Throughline {
        val config = requireNotNull(start.fields("config"))
        return Throughline(
            Config(
                baseUrl = config.need("baseUrl"),
                key = config.need("key"),
                hosts = (config["hosts"] as? List<*>)?.filterIsInstance<String>(),
                consent = consentOf(config.text("consent") ?: "granted"),
                firstOpenTimeoutMs = (config["firstOpenTimeoutMs"] as? Long) ?: 1_500,
                onLog = { say(lineOf(it)) },
            ),
            Ports(
                storage = storage,
                device = { fingerprintOf(requireNotNull(start.fields("device"))) },
                referrer = { referrerOf(start.fields("referrer")) },
                clipboard = { start.text("clipboard") },
                links = linksOf(start),
                now = { System.currentTimeMillis() + aheadMs },
                isExistingUser = { start["existingUser"] == true },
                metaReferrer = { metaReferrerOf(start.fields("metaReferrer")) },
            ),
        )
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

private suspend fun referrerOf(fields: JsonObject?): StoreReferrer? {
    if (fields?.get("hangs") == true) awaitCancellation()
    if (fields == null) return null
    return StoreReferrer(
        fields.need("installReferrer"),
        fields["installBeganAtSeconds"] as? Long,
        fields["serverInstallBeganAtSeconds"] as? Long,
        fields["clickedAtSeconds"] as? Long,
        fields["serverClickedAtSeconds"] as? Long,
    )
}

private fun metaReferrerOf(fields: JsonObject?): MetaReferrer? =
    fields?.let {
        MetaReferrer(it.need("installReferrer"), it["isClickThrough"] as? Boolean, it["actualTimestampSeconds"] as? Long)
    }

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
