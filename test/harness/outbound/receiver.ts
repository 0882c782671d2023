import "reflect-metadata";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const day = 86_400_000;

/** PEM of a certificate and its key, for `node:tls`. */
interface Credentials {
  cert: string;
  key: string;
}

export interface Authority {
  /** PEM of the root certificate. */
  ca: string;
  /** Issues a certificate for these DNS names and addresses. */
  issue(names: string[], validity?: { notBefore: Date; notAfter: Date }): Promise<Credentials>;
}

/** A certificate authority of this test's own. */
export async function createAuthority(): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Authority of a test",
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + day),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    ca: root.toString("pem"),
    issue: async (names, validity) => {
      const own = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const certificate = await x509.X509CertificateGenerator.create({
        subject: "CN=Receiver of a test",
        issuer: root.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        notBefore: validity?.notBefore ?? new Date(Date.now() - day),
        notAfter: validity?.notAfter ?? new Date(Date.now() + day),
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({
              type: /^[\d.]+$/.test(value) ? ("ip" as const) : ("dns" as const),
              value,
            })),
          ),
        ],
      });
      const key = await crypto.subtle.exportKey("pkcs8", own.privateKey);
      return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(key, "PRIVATE KEY") };
    },
  };
}

export interface Receiver {
  port: number;
  /** All connections, whatever became of them. */
  connections: number;
  /** The open connections. */
  open: number;
  close(): Promise<void>;
}

/** An HTTPS server at an address of this machine. */
export function startReceiver(
  credentials: Credentials,
  answer: RequestListener,
  place: { host?: string; port?: number } = {},
): Promise<Receiver> {
  return listen(createServer(credentials, answer), place);
}

/** A server that sends these bytes once TLS is agreed on. */
export function startRawReceiver(
  credentials: Credentials,
  answer: (socket: TLSSocket) => void,
): Promise<Receiver> {
  const server = createTlsServer({ ...credentials, ALPNProtocols: ["http/1.1"] }, (socket) => {
    socket.on("error", () => {});
    answer(socket);
  });
  return listen(server);
}

/** Listens, and counts connections. */
export async function listen(
  server: Server,
  { host = "127.0.0.1", port = 0 }: { host?: string; port?: number } = {},
): Promise<Receiver> {
  const sockets = new Set<{ destroy(): void }>();
  const receiver: Receiver = {
    port: 0,
    connections: 0,
    open: 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  server.on("connection", (socket) => {
    receiver.connections++;
    receiver.open++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      receiver.open--;
      sockets.delete(socket);
    });
  });
  // A client that gives up during the handshake is no fault of the server.
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  receiver.port = (server.address() as AddressInfo).port;
  return receiver;
}
