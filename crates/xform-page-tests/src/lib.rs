//! Nothing but tests: the page of `xform report` in a browser.
