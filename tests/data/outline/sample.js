#!/usr/bin/env node
"use strict";
const fs = require("fs");
import path from "path";

/* How many at once. */
const LIMIT = 3;

// Says something.
function plain(a, b = 2, ...rest) {
  const helper = () => a;
  return helper;
}

class Shop extends Map {
  static #count = 0;
  name = "corner"; // over the door
  handler = () => {};

  constructor() {
    super();
  }

  *items() {}

  static async sell(name) {}
}

exports.exported = function (a) {
  return a;
};

module.exports = {
  method() {},
  arrow: (x) => x,
};

export default (a, b) => a + b;
