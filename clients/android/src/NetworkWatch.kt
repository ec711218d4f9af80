package dev.throughline.android

import android.content.Context
import android.net.ConnectivityManager
import android.net.Network

/** Calls back when the phone has a network, or changes to another. Does nothing where the system refuses. */
internal class NetworkWatch(private val context: Context, private val onAvailable: () -> Unit) :
    ConnectivityManager.NetworkCallback() {
    override fun onAvailable(network: Network?) = onAvailable.invoke()

    /** Android 11 throws SecurityException on some phones, and each app has a limit of callbacks. */
    fun begin() {
        try {
            manager().registerDefaultNetworkCallback(this)
        } catch (_: RuntimeException) {}
    }

    fun end() {
        try {
            manager().unregisterNetworkCallback(this)
        } catch (_: IllegalArgumentException) {}
    }

    private fun manager() = context.getSystemService(ConnectivityManager::class.java)
}
