package android.os;

/** A fake for tests. */
public interface Parcelable {
    int PARCELABLE_WRITE_RETURN_VALUE = 1;

    int describeContents();

    void writeToParcel(Parcel parcel, int flags);

    interface Creator<T> {
        T createFromParcel(Parcel parcel);

        T[] newArray(int size);
    }
}
