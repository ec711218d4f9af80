package android.app;

import android.content.Context;
import android.content.Intent;
import android.net.Uri;

/** A fake for tests. */
public class Activity extends Context {
    private Intent intent;
    public Uri fakeReferrer;
    public boolean fakeHasFocus = true;
    public boolean fakeIsRotating;

    public Intent getIntent() {
        return intent;
    }

    public void setIntent(Intent intent) {
        this.intent = intent;
    }

    public Uri getReferrer() {
        return fakeReferrer;
    }

    public boolean hasWindowFocus() {
        return fakeHasFocus;
    }

    public boolean isChangingConfigurations() {
        return fakeIsRotating;
    }
}
