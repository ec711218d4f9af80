package dev.throughline.android

import android.app.Activity
import android.app.Application
import android.os.Bundle
import java.util.Collections
import java.util.WeakHashMap
import kotlin.math.max

/** Follows the activities of the app: whether it is in front, and what their intents tell. */
internal class Activities(private val links: LinkIntents, private val onChange: () -> Unit) :
    Application.ActivityLifecycleCallbacks {
    /** Created since the client began: the intent of another one may be an old one. */
    private val known: MutableSet<Activity> = Collections.newSetFromMap(WeakHashMap())
    private var startedCount = 0

    @Volatile private var resumed: Activity? = null

    /** On any thread. */
    val hasFocus: Boolean
        get() = resumed?.hasWindowFocus() == true

    override fun onActivityCreated(activity: Activity, savedInstanceState: Bundle?) {
        known += activity
        links.onCreated(activity.intent, isRestored = savedInstanceState != null)
    }

    override fun onActivityStarted(activity: Activity) {
        if (startedCount++ == 0) onChange()
    }

    /** Many apps call `setIntent` in `onNewIntent`: then the intent is told without another call. */
    override fun onActivityResumed(activity: Activity) {
        resumed = activity
        if (known.add(activity)) links.onCreated(activity.intent, isRestored = true)
        else links.onNew(activity.intent)
    }

    override fun onActivityPaused(activity: Activity) {
        if (resumed === activity) resumed = null
    }

    /** A rotation stops the activity and starts it again. */
    override fun onActivityStopped(activity: Activity) {
        // An activity that was started before the client is not counted.
        startedCount = max(0, startedCount - 1)
        if (startedCount > 0 || activity.isChangingConfigurations) return
        links.onBackground()
        onChange()
    }

    override fun onActivitySaveInstanceState(activity: Activity, outState: Bundle) {}

    override fun onActivityDestroyed(activity: Activity) {}
}
