package fakes;

import android.app.Activity;
import android.app.Application;
import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.net.ConnectivityManager.NetworkCallback;
import android.net.Network;
import android.net.Uri;
import android.os.Bundle;
import android.os.Looper;
import android.util.DisplayMetrics;
import java.io.File;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** The phone that the fakes of `android` show, for one test at a time. */
public final class FakePhone {
    public static final String PACKAGE = "com.example.shop";
    private static FakePhone current;

    public final File directory;
    public final Application app = new Application();
    public final ApplicationInfo application = new ApplicationInfo();
    public final PackageInfo packageInfo = new PackageInfo();
    public final FakePlay play = new FakePlay();
    public final FakeMeta meta = new FakeMeta();
    public final List<String> log = new CopyOnWriteArrayList<>();
    public volatile String processName = PACKAGE;
    public volatile boolean isUnlocked = true;
    /** Of the process, as Android's `IMPORTANCE_…`; 400 in the background. */
    public volatile int importance = 400;
    public volatile String clipboard;
    public volatile boolean isClipText = true;
    public volatile int clipboardReads;
    public volatile Locale locale = Locale.forLanguageTag("en-US");
    public volatile DisplayMetrics screen = new DisplayMetrics();
    public volatile boolean isNetworkRefused;
    private final List<NetworkCallback> networkCallbacks = new CopyOnWriteArrayList<>();

    /** @param directory that no backup takes. */
    public FakePhone(File directory) {
        this.directory = directory;
        application.processName = PACKAGE;
        packageInfo.applicationInfo = application;
        packageInfo.firstInstallTime = 1_000;
        packageInfo.lastUpdateTime = 1_000;
        current = this;
    }

    public static FakePhone get() {
        return current;
    }

    public Object service(Class<?> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException cause) {
            throw new IllegalStateException("There is no fake of " + type, cause);
        }
    }

    public int log(String tag, String message) {
        log.add(message);
        return 0;
    }

    public void registerNetwork(NetworkCallback callback) {
        if (isNetworkRefused) throw new SecurityException("Android 11 does this on some phones");
        networkCallbacks.add(callback);
        callback.onAvailable(new Network());
    }

    public void unregisterNetwork(NetworkCallback callback) {
        if (!networkCallbacks.remove(callback)) throw new IllegalArgumentException("NetworkCallback was not registered");
    }

    public int networkCallbacks() {
        return networkCallbacks.size();
    }

    public void connect() {
        networkCallbacks.forEach(it -> it.onAvailable(new Network()));
    }

    /** An activity that the system creates, starts and resumes. @param url of its intent, or null. */
    public Activity open(String url) {
        return open(intentOf(url), false);
    }

    /** @param isRestored whether the system made it again. */
    public Activity open(Intent intent, boolean isRestored) {
        Activity activity = create(intent, isRestored, "com.android.chrome");
        returnTo(activity);
        return activity;
    }

    /** An activity that the app itself opens. */
    public Activity openByApp(Intent intent) {
        Activity activity = create(intent, false, PACKAGE);
        returnTo(activity);
        return activity;
    }

    /** An activity that ends before it is shown, unless it is returned to. */
    public Activity create(Intent intent, boolean isRestored, String caller) {
        Activity activity = new Activity();
        activity.setIntent(intent);
        activity.fakeReferrer = Uri.parse("android-app://" + caller);
        tell(it -> it.onActivityCreated(activity, isRestored ? new Bundle() : null));
        return activity;
    }

    /** Another activity covers it. */
    public void pause(Activity activity) {
        tell(it -> it.onActivityPaused(activity));
    }

    public void leave(Activity activity) {
        tell(it -> it.onActivityPaused(activity));
        tell(it -> it.onActivityStopped(activity));
    }

    public void returnTo(Activity activity) {
        tell(it -> it.onActivityStarted(activity));
        tell(it -> it.onActivityResumed(activity));
    }

    /** An activity that is there comes to the front with another intent. */
    public void onNewIntent(Activity activity, Runnable block) {
        tell(it -> it.onActivityStarted(activity));
        onMain(block);
        tell(it -> it.onActivityResumed(activity));
    }

    /** Turned to the side: the system makes the activity again. */
    public Activity rotate(Activity activity) {
        activity.fakeIsRotating = true;
        leave(activity);
        tell(it -> it.onActivityDestroyed(activity));
        return open(activity.getIntent(), true);
    }

    public static Intent intentOf(String url) {
        Intent intent = new Intent("android.intent.action.VIEW");
        intent.fakeUrl = url;
        return intent;
    }

    /** On the main thread, as Android does it. */
    public void onMain(Runnable block) {
        try {
            Looper.FAKE_MAIN_THREAD.submit(block).get();
        } catch (InterruptedException | ExecutionException cause) {
            throw new IllegalStateException(cause);
        }
    }

    private void tell(Consumer<Application.ActivityLifecycleCallbacks> call) {
        onMain(() -> app.fakeCallbacks.forEach(call));
    }
}
