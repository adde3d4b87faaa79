import React, { memo, useCallback } from "react";

type Props = { name: string; onClose?: () => void };

/** Greets somebody. */
export const Greeting = memo(({ name, onClose }: Props) => {
  const [open, setOpen] = React.useState(false);
  const close = useCallback(() => {
    setOpen(false);
    onClose?.();
  }, [onClose]);

  function label(): string {
    return `hello ${name}`;
  }

  return <button onClick={close}>{open ? label() : null}</button>;
});

export default function App(): JSX.Element {
  return <Greeting name="you" />;
}
