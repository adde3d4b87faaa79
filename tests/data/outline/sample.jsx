import React from "react";

export function Panel({ title, children }) {
  const onClick = () => {};

  function Header() {
    return <h1 onClick={onClick}>{title}</h1>;
  }

  return (
    <section>
      <Header />
      {children}
    </section>
  );
}
