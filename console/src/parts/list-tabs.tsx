/** The tabs above a list, which choose its items. The page keeps the choice in its URL. */
export function ListTabs<Value extends string>({
  label,
  value,
  onChange,
  tabs,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly {
    id: Value;
    title: string;
    /** the number of the list's items, such as `12`, or `10,000+` */
    count?: string | undefined;
  }[];
}) {
  return (
    <nav className="tabs" aria-label={label}>
      <ul className="tab-line">
        {tabs.map(({ id, title, count }) => (
          <li key={id}>
            <button
              type="button"
              className="tab bare"
              aria-current={id === value ? "page" : undefined}
              onClick={() => onChange(id)}
            >
              {title}
              {count !== undefined && <span className="quiet">{count}</span>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
