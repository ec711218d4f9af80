package dev.throughline.kit

import android.app.Activity
import android.os.Build
import android.util.DisplayMetrics
import dev.throughline.JsonObject
import dev.throughline.android.AppStorage
import dev.throughline.android.LogListener
import dev.throughline.android.Throughline
import dev.throughline.android.ThroughlineConfig
import dev.throughline.toMap
import fakes.FakePhone
import fakes.FakePlay
import java.io.File
import java.util.Locale
import java.util.TimeZone
import kotlinx.coroutines.CoroutineScope

private const val FACEBOOK_APP_ID = "1234567890"

/** Plays the scenario on the fakes of Android. */
internal class Phone(private val directory: File, private val say: (JsonObject) -> Unit) {
    private val phone = FakePhone(directory)
    private val storage = FaultyStorage(AppStorage(phone.app))
    private lateinit var config: ThroughlineConfig
    private lateinit var client: Throughline
    private lateinit var activity: Activity
    private var isInFront = true

    @Volatile private var aheadMs = 0L

    /** @return the value of the answer. */
    suspend fun act(command: JsonObject, scope: CoroutineScope): Any? {
        when (val name = command.text("do")) {
            "start" -> start(command)
            "second" -> client = create()
            "listen" -> client.onDeepLink { say(lineOf(it)) }
            "url" -> phone.onMain { client.handleIntent(FakePhone.intentOf(command.need("url"))) }
            "track" -> track(command)
            "identify" -> client.identify(command.need("userId"))
            "logout" -> client.logout()
            "setConsent" -> client.setConsent(consentOf(command.need("consent")))
            "flush" -> client.flush()
            "background" -> leave()
            "foreground" -> {
                // Nobody returns who did not leave.
                if (isInFront) leave()
                isInFront = true
                phone.returnTo(activity)
            }
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
            "handleUrl" -> {
                if (command.text("launchId") != null) throw UnsupportedException("Android restores activities in place of a launch ID.")
                client.handleUrl(command.need("url"))?.let(::toMap)
            }
            "claim" -> client.claim(command.need("text"))?.let(::toMap)
            "firstOpen" -> toMap(client.firstOpen())
            "explain" -> toMap(client.explain())
            "createLink" -> createLink(command, client::createLink)
            else -> throw UnsupportedException("There is no command “$name”.")
        }

    private fun leave() {
        isInFront = false
        phone.leave(activity)
    }

    private fun start(command: JsonObject) {
        val device = requireNotNull(command.fields("device"))
        if (device.text("platform") != "ANDROID") throw UnsupportedException("An iPhone has another client.")
        refuseApple(command)
        aheadMs = command.long("clockAheadMs")
        storage.set(command.text("storage"))
        showDevice(device)
        showSources(command)
        config = configOf(requireNotNull(command.fields("config")), command.text("clipboard"))
        client = create()
        activity = phone.open(FakePhone.intentOf(command.text("initialUrl")), wasRestored(command.need("launchId")))
    }

    private fun create() =
        Throughline(phone.app, config, Throughline.Parts(storage, now = { System.currentTimeMillis() + aheadMs }))

    private fun configOf(fields: JsonObject, clipboard: String?) =
        ThroughlineConfig(fields.need("baseUrl"), fields.need("key")).apply {
            hosts = (fields["hosts"] as? List<*>)?.filterIsInstance<String>()
            consent = consentOf(fields.text("consent") ?: "granted")
            firstOpenTimeoutMs = (fields["firstOpenTimeoutMs"] as? Long) ?: 1_500
            // As long as the scenarios wait.
            referrerTimeoutMs = 3_000
            isClipboardRead = clipboard != null
            facebookAppId = FACEBOOK_APP_ID
            logListener = LogListener { say(lineOf(it)) }
        }

    /** The same launch ID after a kill: the system makes the activities again. */
    private fun wasRestored(launchId: String): Boolean {
        val file = File(directory, "launch-id")
        val isSame = file.exists() && file.readText() == launchId
        file.writeText(launchId)
        return isSame
    }

    private fun showDevice(device: JsonObject) {
        Build.MODEL = device.text("deviceModel")
        Build.VERSION.RELEASE = device.text("osVersion")
        phone.screen =
            DisplayMetrics().apply {
                widthPixels = device.long("screenWidth").toInt()
                heightPixels = device.long("screenHeight").toInt()
                density = (device["screenDensity"] as Number).toFloat()
            }
        phone.locale = Locale.forLanguageTag(device.need("locale"))
        TimeZone.setDefault(TimeZone.getTimeZone(device.need("timezone")))
        phone.packageInfo.versionName = device.text("appVersion")
    }

    private fun showSources(command: JsonObject) {
        if (command["existingUser"] == true) phone.packageInfo.lastUpdateTime = phone.packageInfo.firstInstallTime + 1
        phone.clipboard = command.text("clipboard")
        command.fields("referrer")?.let {
            phone.play.state = if (it["hangs"] == true) FakePlay.State.HANGS else FakePlay.State.ANSWERS
            phone.play.referrer = it.text("installReferrer")
            phone.play.clickedAt = it.long("clickedAtSeconds")
            phone.play.serverClickedAt = it.long("serverClickedAtSeconds")
            phone.play.installBeganAt = it.long("installBeganAtSeconds")
            phone.play.serverInstallBeganAt = it.long("serverInstallBeganAtSeconds")
        }
        command.fields("metaReferrer")?.let {
            val isClickThrough = (it["isClickThrough"] as? Boolean)?.let { isTap -> if (isTap) 1 else 0 }
            val row = listOf(it.text("installReferrer"), isClickThrough, it["actualTimestampSeconds"])
            phone.meta.add("com.facebook.katana", "com.facebook.katana.provider.InstallReferrerProvider", FACEBOOK_APP_ID, row)
        }
    }
}
