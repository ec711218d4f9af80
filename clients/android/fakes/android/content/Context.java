package android.content;

import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import fakes.FakePhone;
import java.io.File;

/** A fake for tests. */
public abstract class Context {
    public String getPackageName() {
        return FakePhone.PACKAGE;
    }

    public PackageManager getPackageManager() {
        return new PackageManager();
    }

    public ApplicationInfo getApplicationInfo() {
        return FakePhone.get().application;
    }

    public ContentResolver getContentResolver() {
        return new ContentResolver();
    }

    public <T> T getSystemService(Class<T> service) {
        return service.cast(FakePhone.get().service(service));
    }

    /** Android throws while the phone is locked. */
    public File getNoBackupFilesDir() {
        FakePhone phone = FakePhone.get();
        if (!phone.isUnlocked) throw new IllegalStateException("not available until after user is unlocked");
        return phone.directory;
    }

    public boolean bindService(Intent service, ServiceConnection connection, int flags) {
        return FakePhone.get().play.bind(service, connection);
    }

    public void unbindService(ServiceConnection connection) {
        FakePhone.get().play.unbind(connection);
    }
}
