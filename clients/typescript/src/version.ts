/** As in package.json; a test says when it is not. */
export const version = "0.1.0-rc.1";
