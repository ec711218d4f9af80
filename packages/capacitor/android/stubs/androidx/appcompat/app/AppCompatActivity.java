package androidx.appcompat.app;

import androidx.savedstate.SavedStateRegistry;

/** A stub: the method is one of androidx.savedstate.SavedStateRegistryOwner. */
public class AppCompatActivity extends android.app.Activity {
    public final SavedStateRegistry getSavedStateRegistry() {
        throw new UnsupportedOperationException("stub");
    }
}
