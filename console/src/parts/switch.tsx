import { Switch as AriaSwitch } from "react-aria-components/Switch";

/** A switch that takes effect at once, with its label. */
export function Switch({
  isOn,
  isPending = false,
  onChange,
  children,
}: {
  isOn: boolean;
  isPending?: boolean;
  onChange: (isOn: boolean) => void;
  children: string;
}) {
  return (
    <AriaSwitch className="switch" isSelected={isOn} isDisabled={isPending} onChange={onChange}>
      <span className="track" aria-hidden />
      {children}
    </AriaSwitch>
  );
}
