// Reads .env, if there is one, before a program that npm starts. What the environment already says wins.

import "./fast-start.mjs";

try {
  process.loadEnvFile();
} catch (error) {
  if (error.code !== "ENOENT") throw error;
}
