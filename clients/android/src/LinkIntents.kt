package dev.throughline.android

import android.content.Intent
import dev.throughline.LinkSource
import java.util.Collections
import java.util.UUID
import java.util.WeakHashMap
import kotlinx.coroutines.CompletableDeferred

/** The URLs of intents. Its own functions are called on the main thread. */
internal class LinkIntents : LinkSource {
    private val first = CompletableDeferred<String?>()
    private val launchId = UUID.randomUUID().toString()
    /** Extras would mark an intent too, but reading those of other apps may throw. */
    private val seen: MutableSet<Intent> = Collections.newSetFromMap(WeakHashMap())
    /** The newest URL since the app came to the front. */
    private var newestUrl: String? = null
    private val waiting = mutableListOf<String>()
    private var listener: ((String) -> Unit)? = null

    /** Completes when the first activity is created; a process that a push message started may have none for hours. */
    override suspend fun initial(): String? = first.await()

    override fun launchId(): String = launchId

    override fun subscribe(listener: (String) -> Unit): AutoCloseable {
        synchronized(waiting) {
            this.listener = listener
            waiting.forEach(listener)
            waiting.clear()
        }
        return AutoCloseable { synchronized(waiting) { this.listener = null } }
    }

    /** @param isRestored the system made the activity again, with the intent of before. */
    fun onCreated(intent: Intent?, isRestored: Boolean) {
        val url = if (isRestored) null.also { take(intent) } else take(intent)
        // A splash screen hands its URL on to the next activity.
        val isHandedOn = url != null && url == newestUrl
        if (url != null) newestUrl = url
        if (first.complete(url) || url == null || isHandedOn) return
        tell(url)
    }

    /** For `onNewIntent`. @return the URL, also if it was told before. */
    fun onNew(intent: Intent?): String? {
        val url = take(intent) ?: return urlOf(intent)
        newestUrl = url
        // Before any activity was created, this one starts the app.
        if (!first.complete(url)) tell(url)
        return url
    }

    /** The next tap on the same link is one of its own. */
    fun onBackground() {
        newestUrl = null
    }

    /** @return null without a URL, and for an intent that was seen. */
    private fun take(intent: Intent?): String? {
        if (intent == null || !seen.add(intent)) return null
        return urlOf(intent)
    }

    /** The list of recent apps repeats the intent that once started the app. */
    private fun urlOf(intent: Intent?): String? =
        if (intent == null || intent.flags and Intent.FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY != 0) null
        else intent.dataString

    private fun tell(url: String) {
        synchronized(waiting) { listener?.invoke(url) ?: waiting.add(url) }
    }
}
