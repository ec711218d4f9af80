package dev.throughline.android

import android.app.ActivityManager
import android.app.Application
import android.os.Build
import java.io.File

/** Android starts the app's class in each of its processes, and two clients would overwrite each other. */
internal fun isMainProcess(application: Application): Boolean =
    processName() == application.applicationInfo.processName

/** Whether the person sees an activity of it, or is about to: a push message or a worker is less. */
internal fun isProcessInFront(): Boolean {
    val state = ActivityManager.RunningAppProcessInfo()
    ActivityManager.getMyMemoryState(state)
    return state.importance == ActivityManager.RunningAppProcessInfo.IMPORTANCE_FOREGROUND
}

private fun processName(): String =
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) Application.getProcessName()
    else File("/proc/self/cmdline").readText().substringBefore('\u0000')
