import { isIPv4, isIPv6 as isIPv6OrZoned } from "node:net";

/**
 * The formats of JSON Schema 2020-12 that are enforced, each by its RFC. Other formats are annotations. The formats of
 * internationalised names need tables of IDNA 2008, which Node lacks.
 */
export const formats: Record<string, (text: string) => boolean> = {
  date: isDate,
  time: isTime,
  "date-time": (text) => isDate(text.slice(0, 10)) && /^[tT]/.test(text.slice(10)) && isTime(text.slice(11)),
  duration: (text) => duration.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  uri: (text) => isUri(text, true),
  "uri-reference": (text) => isUri(text, false),
  "uri-template": (text) => uriTemplate.test(text),
  uuid: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  "json-pointer": (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
  "relative-json-pointer": (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text),
  regex: isRegex,
};

/** RFC 3339, `full-date`. */
function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (days[month - 1] ?? 0);
}

/** RFC 3339, `full-time`; a leap second is the last of a day in UTC. */
function isTime(text: string): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (!found) return false;
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map(Number);
  const [offsetHours = 0, offsetMinutes = 0] = found.slice(5).map((digits) => Number(digits ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return false;
  const offset = (found[4] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

/** RFC 3339, appendix A: no unit between two others is left out, and weeks stand alone. */
const minutes = String.raw`\d+M(?:\d+S)?`;
const time = String.raw`T(?:\d+H(?:${minutes})?|${minutes}|\d+S)`;
const months = String.raw`\d+M(?:\d+D)?`;
const duration = new RegExp(
  String.raw`^P(?:(?:\d+Y(?:${months})?|${months}|\d+D)(?:${time})?|${time}|\d+W)$`,
);

/** RFC 1123 and RFC 952. A label in Punycode is not decoded. */
function isHostname(text: string): boolean {
  const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
  return text.length <= 253 && text.split(".").every((one) => label.test(one));
}

/** RFC 5321, `Mailbox`. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  const isLocal =
    /^[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*$/.test(local) ||
    /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(local);
  if (!isLocal || local.length > 64) return false;
  const literal = /^\[(IPv6:)?(.*)\]$/i.exec(domain);
  if (!literal) return isHostname(domain);
  const address = literal[2] ?? "";
  return literal[1] === undefined ? isIPv4(address) : isIPv6(address);
}

/** RFC 4291; a zone is no part of an address. */
function isIPv6(text: string): boolean {
  return isIPv6OrZoned(text) && !text.includes("%");
}

/** The parts of any URI (RFC 3986, appendix B), and the characters that each part may have. */
const uriParts = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const [userinfo, path, query] = [":", ":@/", ":@/?"].map(
  (more) => new RegExp(`^(?:[\\w.~!$&'()*+,;=${more}-]|%[\\da-f]{2})*$`, "i"),
) as [RegExp, RegExp, RegExp];

function isUri(text: string, isAbsolute: boolean): boolean {
  const [, scheme, authority, ownPath = "", ownQuery = "", fragment = ""] = uriParts.exec(text) ?? [];
  if (scheme === undefined && (isAbsolute || (authority === undefined && /^[^/]*:/.test(ownPath))))
    return false;
  return (
    (authority === undefined || isAuthority(authority)) &&
    path.test(ownPath) &&
    query.test(ownQuery) &&
    query.test(fragment)
  );
}

function isAuthority(text: string): boolean {
  const found = /^(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:@[\]]*))(?::\d*)?$/.exec(text);
  if (!found) return false;
  const [, user = "", literal, name = ""] = found;
  if (!userinfo.test(user) || !userinfo.test(name)) return false;
  return literal === undefined || isIPv6(literal) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(literal);
}

/** RFC 6570, with its erratum 6937 on the apostrophe. */
const variable = String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`;
const uriTemplate = new RegExp(
  String.raw`^(?:[^\x00-\x20\x7f"%<>\\^${"`"}{|}]|%[\da-f]{2}|\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\})*$`,
  "i",
);

/** ECMA-262, under the flag that JSON Schema names. */
function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
