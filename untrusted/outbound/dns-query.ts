import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { connect, isIPv6 } from "node:net";
import {
  type DecodedPacket,
  decode,
  encode,
  RECURSION_DESIRED,
  type StringAnswer,
  type TxtAnswer,
} from "dns-packet";

/** A record of an answer, with the name that it is at. */
export type DnsRecord = StringAnswer | TxtAnswer;

export interface DnsQueryOptions {
  /** DNS servers as `address:port`; the system's unless given. */
  servers?: readonly string[] | undefined;
  /** Milliseconds for one question to one server. */
  timeoutMs: number;
  signal: AbortSignal;
}

type Server = { host: string; port: number };

/** The rounds of questions to all servers. */
const rounds = 2;
/** The response codes (RFC 1035) that answer a question, the second that there is no such name; and node's codes for others. */
const answering = new Set([0, 3]);
const failures: Record<number, string> = { 1: "EFORMERR", 2: "ESERVFAIL", 4: "ENOTIMP", 5: "EREFUSED" };

/**
 * Queries the DNS for the records of one type at a name (RFC 1035), and returns the whole answer. It includes the aliases
 * that lead to a record at another name, which node:dns hides. It uses UDP, and TCP if the answer is too long for UDP.
 *
 * @throws an error with a code as node:dns has them
 */
export async function queryDns(
  name: string,
  type: "CNAME" | "TXT",
  { servers, timeoutMs, signal }: DnsQueryOptions,
): Promise<DnsRecord[]> {
  let failure = failed("ETIMEOUT");
  for (let round = 0; round < rounds; round += 1) {
    for (const server of (servers ?? getServers()).map(readServer)) {
      if (signal.aborted) throw failed("ECANCELLED");
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const answer = await queryServer(name, type, server, limit);
        const code = (answer.flags ?? 0) & 15;
        if (answering.has(code)) {
          return (answer.answers ?? []).filter((one): one is DnsRecord =>
            ["CNAME", "TXT"].includes(one.type),
          );
        }
        failure = failed(failures[code] ?? "EBADRESP");
      } catch (error) {
        failure = limit.aborted ? failed("ETIMEOUT") : (error as Error);
      }
    }
  }
  throw failure;
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

async function queryServer(name: string, type: "CNAME" | "TXT", server: Server, signal: AbortSignal) {
  const id = randomInt(2 ** 16);
  const question = encode({ type: "query", id, flags: RECURSION_DESIRED, questions: [{ name, type }] });
  const read = (message: Buffer) => readAnswer(message, { id, name, type });
  const answer = await queryByUdp(question, server, signal, read);
  return answer.flag_tc ? queryByTcp(question, server, signal, read) : answer;
}

/** The answer to a question; null for any other message. */
function readAnswer(
  message: Buffer,
  query: { id: number; name: string; type: string },
): DecodedPacket | null {
  try {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    const isAnswer =
      packet.flag_qr &&
      packet.id === query.id &&
      question?.type === query.type &&
      question.name.toLowerCase() === query.name.toLowerCase();
    return isAnswer ? packet : null;
  } catch {
    return null;
  }
}

type Read = (message: Buffer) => DecodedPacket | null;

async function queryByUdp(
  question: Buffer,
  server: Server,
  signal: AbortSignal,
  read: Read,
): Promise<DecodedPacket> {
  const socket = createSocket({ type: isIPv6(server.host) ? "udp6" : "udp4", signal });
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>();
  socket.on("message", (message) => {
    const answer = read(message);
    if (answer) resolve(answer);
  });
  socket.once("error", reject);
  socket.once("close", () => reject(failed("ETIMEOUT")));
  socket.once("connect", () => socket.send(question));
  // The kernel gives a connected socket the messages of this one server alone.
  socket.connect(server.port, server.host);
  return promise.finally(() => {
    if (!signal.aborted) socket.close();
  });
}

async function queryByTcp(
  question: Buffer,
  server: Server,
  signal: AbortSignal,
  read: Read,
): Promise<DecodedPacket> {
  const socket = connect({ ...server, signal });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(question.length);
  socket.write(Buffer.concat([length, question]));
  let received = Buffer.alloc(0);
  try {
    // A length of 16 bits bounds the answer.
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) continue;
      const answer = read(received.subarray(2, 2 + received.readUInt16BE(0)));
      if (answer) return answer;
      break;
    }
  } finally {
    socket.destroy();
  }
  throw failed("EBADRESP");
}

/** Reads a server as node:dns writes it: an address, or one with a port, in brackets where it is of IPv6. */
function readServer(text: string): Server {
  const [, bracketed, plain, port = "53"] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: Number(port) };
}
