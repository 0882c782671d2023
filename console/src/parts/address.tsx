/** A shortened address. The tooltip has all of it. */
export function Address({ of: address }: { of: string }) {
  return (
    <code className="address" title={address}>
      {shortAddress(address)}
    </code>
  );
}

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
