package dev.throughline.android

import android.content.Context
import android.content.res.Resources
import android.hardware.display.DisplayManager
import android.os.Build
import android.util.DisplayMetrics
import android.view.Display
import dev.throughline.Device
import dev.throughline.ExistingUser
import dev.throughline.Fingerprint
import dev.throughline.Platform
import java.util.TimeZone

/** What the service compares with the browser that clicked. No user agent: reading it would load the web view. */
internal class DeviceFacts(private val context: Context) : Device {
    override suspend fun read(): Fingerprint {
        val screen = screen()
        return Fingerprint(
            platform = Platform.ANDROID,
            osVersion = Build.VERSION.RELEASE,
            deviceModel = Build.MODEL,
            screenWidth = screen?.widthPixels,
            screenHeight = screen?.heightPixels,
            screenDensity = screen?.density?.toDouble(),
            // The phone's languages, which browsers send; an app may have others.
            locale = Resources.getSystem().configuration.locales.get(0)?.toLanguageTag(),
            timezone = TimeZone.getDefault().id,
            appVersion = context.packageManager.getPackageInfo(context.packageName, 0).versionName,
        )
    }

    /** The whole screen, with its bars, in physical pixels; null without one. */
    private fun screen(): DisplayMetrics? {
        val display = context.getSystemService(DisplayManager::class.java).getDisplay(Display.DEFAULT_DISPLAY)
        return display?.let { DisplayMetrics().also(it::getRealMetrics) }
    }
}

/** At the very first start with this client, an updated app is one that the person had without it. */
internal class UpdatedApp(private val context: Context) : ExistingUser {
    override suspend fun read(): Boolean =
        context.packageManager.getPackageInfo(context.packageName, 0).run { firstInstallTime < lastUpdateTime }
}
