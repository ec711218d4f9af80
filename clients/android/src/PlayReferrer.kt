package dev.throughline.android

import android.content.ComponentName
import android.content.Context
import android.content.Intent
import android.content.ServiceConnection
import android.os.Bundle
import android.os.DeadObjectException
import android.os.IBinder
import android.os.Parcel
import dev.throughline.Referrer
import dev.throughline.StoreReferrer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay

private const val PLAY = "com.android.vending"
private const val SERVICE = "com.google.android.finsky.externalreferrer.GetInstallReferrerService"
private const val ACTION = "com.google.android.finsky.BIND_GET_INSTALL_REFERRER_SERVICE"
private const val INTERFACE = "com.google.android.finsky.externalreferrer.IGetInstallReferrerService"

private const val RETRY_MS = 500L

/** Google Play's referrer by the service that Play Install Referrer's library calls. */
internal class PlayReferrer(private val context: Context) : Referrer {
    @Volatile private var known: StoreReferrer? = null

    /** Play may update itself meanwhile, and ends then: it is asked until the caller gives up. */
    override suspend fun read(): StoreReferrer? {
        while (known == null) {
            try {
                known = ask()
                break
            } catch (_: DeadObjectException) {
                delay(RETRY_MS)
            }
        }
        return known
    }

    private suspend fun ask(): StoreReferrer? {
        val connection = Connection()
        val intent = Intent(ACTION).setComponent(ComponentName(PLAY, SERVICE))
        try {
            if (!context.bindService(intent, connection, Context.BIND_AUTO_CREATE)) return null
            val answer = connection.service.await()?.let { transact(it, context.packageName) }
            return answer?.let(::referrerOf)
        } finally {
            // Also of a service that is not there: the system keeps the connection otherwise.
            context.unbindService(connection)
        }
    }

    private class Connection : ServiceConnection {
        /** Null from a service that gives none. */
        val service = CompletableDeferred<IBinder?>()

        override fun onServiceConnected(name: ComponentName?, binder: IBinder?) {
            service.complete(binder)
        }

        override fun onServiceDisconnected(name: ComponentName?) = die()

        override fun onBindingDied(name: ComponentName?) = die()

        override fun onNullBinding(name: ComponentName?) {
            service.complete(null)
        }

        private fun die() {
            service.completeExceptionally(DeadObjectException("Play's service ended"))
        }
    }
}

/** `Bundle getInstallReferrer(in Bundle request)`, the only method of the interface, as AIDL writes it. */
private fun transact(service: IBinder, packageName: String): Bundle? {
    val request = Parcel.obtain()
    val reply = Parcel.obtain()
    try {
        request.writeInterfaceToken(INTERFACE)
        request.writeInt(1)
        Bundle().apply { putString("package_name", packageName) }.writeToParcel(request, 0)
        service.transact(IBinder.FIRST_CALL_TRANSACTION, request, reply, 0)
        reply.readException()
        return if (reply.readInt() == 0) null else Bundle.CREATOR.createFromParcel(reply)
    } finally {
        reply.recycle()
        request.recycle()
    }
}

private fun referrerOf(answer: Bundle): StoreReferrer? {
    val referrer = answer.getString("install_referrer")
    if (referrer.isNullOrEmpty()) return null
    return StoreReferrer(
        installReferrer = referrer,
        installBeganAtSeconds = answer.getLong("install_begin_timestamp_seconds"),
        serverInstallBeganAtSeconds = answer.getLong("install_begin_timestamp_server_seconds"),
        clickedAtSeconds = answer.getLong("referrer_click_timestamp_seconds"),
        serverClickedAtSeconds = answer.getLong("referrer_click_timestamp_server_seconds"),
    )
}
