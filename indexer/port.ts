import { createServer } from "node:net";
import { ConfigError } from "../config.ts";

/**
 * Refuses a port that is taken. Ponder would quietly take the next free one, where nobody looks for it.
 *
 * @throws ConfigError naming the port
 */
export async function checkPortFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigError(
              `Port ${port} is taken by another program: end that one, or set PORT to a free one.`,
            )
          : new ConfigError(`Port ${port} cannot be used: ${error.message}`),
      ),
    );
    server.listen(port, () => server.close(() => resolve()));
  });
}
