import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type Mail = { to: string; headers: Map<string, string>; text: string; raw: string };

/** How a server treats a recipient: `null` takes the mail, a number refuses with this code, `hang` never answers. */
export type Treatment = null | number | "hang";

/** A real SMTP server on loopback that stores accepted mail. */
export async function startMailServer() {
  const taken: Mail[] = [];
  let attempts = 0;
  let treat: (recipient: string) => Treatment = () => null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo({ address }, _, answer) {
      attempts += 1;
      const treatment = treat(address);
      if (treatment === "hang") return;
      if (treatment === null) answer();
      else answer(Object.assign(new Error("not now, or not ever"), { responseCode: treatment }));
    },
    onData(stream, session, answer) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        for (const { address } of session.envelope.rcptTo) {
          taken.push(read(address, Buffer.concat(parts).toString("utf8")));
        }
        answer();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    attempts: () => attempts,
    treat: (how: typeof treat) => {
      treat = how;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function read(to: string, raw: string): Mail {
  const [head = "", ...body] = raw.split("\r\n\r\n");
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      decodeWords(line.slice(line.indexOf(":") + 2)),
    ]),
  );
  return { to, headers, text: decodeQuoted(body.join("\r\n\r\n").replaceAll(/=\r\n/g, "")), raw };
}

/** Decodes a text in quoted-printable, whose bytes are UTF-8. */
function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Decodes the encoded words of a header (RFC 2047). */
function decodeWords(header: string): string {
  return header
    .replaceAll(/\?= =\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, form: string, text: string) =>
      form.toUpperCase() === "B"
        ? Buffer.from(text, "base64").toString("utf8")
        : decodeQuoted(text.replaceAll("_", " ")),
    );
}
