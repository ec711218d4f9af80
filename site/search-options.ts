/** Of the index and of the questions to it. */
export const INDEX = { fields: ['title', 'heading', 'text'], storeFields: ['title', 'heading'] };
export const QUESTION = { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4, heading: 2 } };
