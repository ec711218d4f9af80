/**
 * Options of the cases whose part of the service is not built: they run, are listed as pending and fail nothing. When
 * a part is built, its line here goes, and with it the option of each of its cases.
 */
export const POSTBACKS_PENDING = { todo: 'ad-network postbacks are not built yet' };
