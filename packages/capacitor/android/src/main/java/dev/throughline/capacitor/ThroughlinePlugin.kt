package dev.throughline.capacitor

import android.app.Application
import android.content.Intent
import android.os.Bundle
import com.getcapacitor.Plugin
import com.getcapacitor.PluginCall
import com.getcapacitor.PluginMethod
import com.getcapacitor.annotation.CapacitorPlugin
import dev.throughline.LinkException
import dev.throughline.android.LogListener
import dev.throughline.android.Throughline
import dev.throughline.android.ThroughlineConfig
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import org.json.JSONObject

private const val DEEP_LINK = "deepLink"
private const val LOG = "log"
private const val RESTORED = "dev.throughline.capacitor"

/** Answers the calls of the package's JavaScript with the client of Android, which outlives the page and this plugin. */
@CapacitorPlugin(name = "Throughline")
public class ThroughlinePlugin : Plugin() {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    private var subscription: AutoCloseable? = null
    private var isListening = false
    /** Those that came before the page has made the client. */
    private val intents = mutableListOf<Intent>()

    override fun load() {
        current = this
        // The system makes an activity again with the intent of before.
        val registry = activity.savedStateRegistry
        if (registry.consumeRestoredStateForKey(RESTORED) == null) handleOnNewIntent(activity.intent)
        registry.registerSavedStateProvider(RESTORED) { Bundle() }
    }

    override fun handleOnNewIntent(intent: Intent?) {
        if (intent == null) return
        client?.handleIntent(intent) ?: intents.add(intent)
    }

    override fun handleOnDestroy() {
        if (current === this) current = null
        subscription?.close()
        scope.cancel()
    }

    @PluginMethod
    public fun create(call: PluginCall) {
        bridge.executeOnMainThread {
            val made =
                try {
                    client ?: begin(call)
                } catch (cause: IllegalArgumentException) {
                    return@executeOnMainThread call.reject(cause.message)
                }
            client = made
            intents.forEach(made::handleIntent)
            intents.clear()
            follow()
            call.resolve()
        }
    }

    /** The client began with `create`; after `reset` it begins again here. */
    @PluginMethod
    public fun start(call: PluginCall): Unit =
        act(call) {
            if (isReset) Throughline.start(application, config)
            isReset = false
        }

    @PluginMethod
    public fun firstOpen(call: PluginCall): Unit = answer(call) { shapeOf(it.firstOpen()) }

    @PluginMethod
    public fun handleUrl(call: PluginCall) {
        val url = call.getString("url").orEmpty()
        answer(call) { mapOf("link" to it.handleUrl(url)?.let(::shapeOf)) }
    }

    @PluginMethod
    public fun claim(call: PluginCall) {
        val text = call.getString("text").orEmpty()
        answer(call) { mapOf("link" to it.claim(text)?.let(::shapeOf)) }
    }

    @PluginMethod
    public fun track(call: PluginCall) {
        val text = call.getString("event").orEmpty()
        act(call) {
            val event = JSONObject(text).toMap()
            it.track(event["name"] as String, event.fields("properties"), revenueOf(event.fields("revenue")))
        }
    }

    @PluginMethod
    public fun identify(call: PluginCall) {
        val userId = call.getString("userId").orEmpty()
        act(call) { it.identify(userId) }
    }

    @PluginMethod
    public fun logout(call: PluginCall): Unit = act(call) { it.logout() }

    @PluginMethod
    public fun setConsent(call: PluginCall) {
        val wire = call.getString("consent").orEmpty()
        act(call) { it.setConsent(consentOf(wire)) }
    }

    @PluginMethod
    public fun createLink(call: PluginCall) {
        val text = call.getString("link").orEmpty()
        val timeoutMs = call.data.optLong("timeoutMs", CREATE_LINK_TIMEOUT_MS)
        answer(call) { shapeOf(it.createLink(newLinkOf(JSONObject(text).toMap()), timeoutMs)) }
    }

    @PluginMethod
    public fun flush(call: PluginCall): Unit = act(call) { it.flush() }

    @PluginMethod
    public fun reset(call: PluginCall): Unit =
        act(call) {
            isReset = true
            it.reset()
        }

    @PluginMethod
    public fun shutdown(call: PluginCall): Unit = act(call) { it.shutdown() }

    @PluginMethod
    public fun explain(call: PluginCall): Unit = answer(call) { shapeOf(it.explain()) }

    /** Links wait in the client for the first listener of a page, and then in the plugin for the next one. */
    @PluginMethod(returnType = PluginMethod.RETURN_NONE)
    override fun addListener(call: PluginCall) {
        super.addListener(call)
        if (call.getString("eventName") != DEEP_LINK) return
        isListening = true
        follow()
    }

    private fun begin(call: PluginCall): Throughline {
        config = configOf(call.data)
        config.logListener = LogListener { current?.notifyListeners(LOG, jsOf(shapeOf(it)), true) }
        return Throughline.start(application, config)
    }

    private val application
        get() = context.applicationContext as Application

    @Synchronized
    private fun follow() {
        if (isListening && subscription == null)
            subscription = client?.onDeepLink { notifyListeners(DEEP_LINK, jsOf(shapeOf(it)), true) }
    }

    private fun act(call: PluginCall, action: suspend (Throughline) -> Unit): Unit =
        answer(call) {
            action(it)
            null
        }

    /** In the order of the calls, up to where the client waits. */
    private fun answer(call: PluginCall, ask: suspend (Throughline) -> Map<String, Any?>?) {
        val client = client ?: return call.reject("The client was not created: call create first.")
        scope.launch(start = CoroutineStart.UNDISPATCHED) {
            try {
                val shape = ask(client)
                if (shape == null) call.resolve() else call.resolve(jsOf(shape))
            } catch (cause: LinkException) {
                call.reject(cause.message, cause.code, jsOf(mapOf("retryAtMs" to cause.retryAtMs)))
            } catch (cause: CancellationException) {
                throw cause
            } catch (cause: Exception) {
                // Of a call that the package's JavaScript would not make: the app goes on.
                call.reject(cause.message)
            }
        }
    }

    private companion object {
        /** Of the process, as is the client of Android. */
        @Volatile private var client: Throughline? = null
        /** Of the client. */
        private lateinit var config: ThroughlineConfig
        /** Since the last start. */
        @Volatile private var isReset = false
        /** The one whose page lives. */
        @Volatile private var current: ThroughlinePlugin? = null
    }
}
