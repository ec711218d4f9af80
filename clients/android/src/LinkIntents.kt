package dev.throughline.android

import android.content.Intent
import dev.throughline.LinkSource
import java.util.Collections
import java.util.UUID
import java.util.WeakHashMap
import kotlinx.coroutines.CompletableDeferred

/** An extra of intents that were seen, which copies have too. */
private const val SEEN = "dev.throughline.SEEN"

/** The URLs of intents. Its own functions are called on the main thread. */
internal class LinkIntents : LinkSource {
    private val first = CompletableDeferred<String?>()
    private val launchId = UUID.randomUUID().toString()
    private val seen: MutableSet<Intent> = Collections.newSetFromMap(WeakHashMap())
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

    /**
     * @param isRestored the system made the activity again, with the intent of before.
     * @param urlBefore of the activity that may hand it on.
     * @return the URL.
     */
    fun onCreated(intent: Intent?, isRestored: Boolean, urlBefore: String?): String? {
        val url = urlOf(intent)
        val isTold = isNew(intent) && !isRestored && url != null && url != urlBefore
        if (!first.complete(url.takeIf { isTold }) && isTold) tell(url)
        return url
    }

    /** For `onNewIntent`. @return the URL, also if it was told before. */
    fun onNew(intent: Intent?, urlBefore: String?): String? {
        val url = urlOf(intent)
        // Before any activity was created, this one starts the app.
        if (isNew(intent) && url != null && url != urlBefore && !first.complete(url)) tell(url)
        return url
    }

    fun isSeen(intent: Intent?): Boolean = intent in seen

    /** @return false for an intent that was seen, or is a copy of one. */
    private fun isNew(intent: Intent?): Boolean = intent != null && seen.add(intent) && !isCopy(intent)

    private fun isCopy(intent: Intent): Boolean =
        try {
            val isCopy = intent.getStringExtra(SEEN) == launchId
            intent.putExtra(SEEN, launchId)
            isCopy
        } catch (_: RuntimeException) {
            // Extras of other apps may be of classes that this one lacks.
            false
        }

    /** The list of recent apps repeats the intent that once started the app. */
    private fun urlOf(intent: Intent?): String? =
        if (intent == null || intent.flags and Intent.FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY != 0) null
        else intent.dataString

    private fun tell(url: String) {
        synchronized(waiting) { listener?.invoke(url) ?: waiting.add(url) }
    }
}
