package com.google.android.finsky.externalreferrer;

/** The interface of Play's service, of which the AIDL compiler makes the server of the tests. */
interface IGetInstallReferrerService {
    Bundle getInstallReferrer(in Bundle request);
}
