package dev.throughline.android

import android.app.Activity
import android.app.Application
import android.content.Intent
import android.os.Bundle
import java.lang.ref.WeakReference
import java.util.Collections
import java.util.WeakHashMap

/** Follows the activities of the app: whether it is in front, and what their intents tell. */
internal class Activities(private val links: LinkIntents, private val onChange: () -> Unit) :
    Application.ActivityLifecycleCallbacks {
    /** Created since the client began: the intent of another one may be an old one. */
    private val known: MutableSet<Activity> = Collections.newSetFromMap(WeakHashMap())
    private val started: MutableSet<Activity> = Collections.newSetFromMap(WeakHashMap())

    /** The URL that each one got last. */
    private val urls = WeakHashMap<Activity, String>()

    /** The last one that was created or came to the front. */
    private var front = WeakReference<Activity>(null)
    private var lastStarted = WeakReference<Activity>(null)

    @Volatile private var resumed: Activity? = null

    @Volatile private var isStarted = false

    /** Whether one was in front when the client began; nothing tells of it until it stops. */
    @Volatile private var wasInFront = isProcessInFront()

    /** On any thread, like `hasFocus`. */
    val isInFront: Boolean
        get() = isStarted || wasInFront

    val hasFocus: Boolean
        get() = resumed?.hasWindowFocus() == true

    /** For `onNewIntent`, of the activity that was started last. @return the URL, also if it was told before. */
    fun onNew(intent: Intent?): String? = onNew(intent, lastStarted.get())

    override fun onActivityCreated(activity: Activity, savedInstanceState: Bundle?) {
        known += activity
        val urlBefore = urlBefore(activity).takeIf { isOfApp(activity) }
        note(activity, links.onCreated(activity.intent, isRestored = savedInstanceState != null, urlBefore))
        front = WeakReference(activity)
    }

    override fun onActivityStarted(activity: Activity) {
        lastStarted = WeakReference(activity)
        begin(activity)
    }

    /** Many apps call `setIntent` in `onNewIntent`: then the intent is told without another call. */
    override fun onActivityResumed(activity: Activity) {
        resumed = activity
        if (known.add(activity)) links.onCreated(activity.intent, isRestored = true, urlBefore = null)
        else onNew(activity.intent, activity)
        front = WeakReference(activity)
        // One that was started before the client.
        begin(activity)
    }

    override fun onActivityPaused(activity: Activity) {
        if (resumed === activity) resumed = null
    }

    /** A rotation stops the activity and starts it again. */
    override fun onActivityStopped(activity: Activity) {
        started -= activity
        isStarted = started.isNotEmpty()
        wasInFront = false
        if (!isStarted && !activity.isChangingConfigurations) onChange()
    }

    override fun onActivitySaveInstanceState(activity: Activity, outState: Bundle) {}

    override fun onActivityDestroyed(activity: Activity) {}

    private fun begin(activity: Activity) {
        started += activity
        if (isStarted) return
        isStarted = true
        wasInFront = false
        onChange()
    }

    private fun onNew(intent: Intent?, activity: Activity?): String? {
        val isSeen = links.isSeen(intent)
        return links.onNew(intent, urlBefore(activity)).also { if (!isSeen) note(activity, it) }
    }

    private fun note(activity: Activity?, url: String?) {
        if (activity != null && url != null) urls[activity] = url
    }

    /** The URL of another activity that was in front until now, and may hand it on. */
    private fun urlBefore(activity: Activity?): String? = front.get()?.takeIf { it !== activity }?.let(urls::get)

    /** Whether the app itself started the activity, as far as Android tells. */
    private fun isOfApp(activity: Activity): Boolean {
        val caller = activity.referrer ?: return isStarted
        return "$caller" == "android-app://${activity.packageName}"
    }
}
