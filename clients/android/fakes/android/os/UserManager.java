package android.os;

import fakes.FakePhone;

/** A fake for tests. */
public class UserManager {
    public boolean isUserUnlocked() {
        return FakePhone.get().isUnlocked;
    }
}
