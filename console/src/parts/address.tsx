/** An address in short, and whole for whoever points at it or copies it. */
export function Address({ of: address }: { of: string }) {
  return (
    <code className="address" title={address}>
      {shortAddress(address)}
    </code>
  );
}

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
