interface BarRow {
  name: string
  value: number
  /** The value as it is shown, with its unit. */
  text?: string
}

interface BarTableProps {
  label: string
  unit: string
  rows: readonly BarRow[]
}

/** Numbers as a table with bars. The numbers are text, so the bars are decoration. */
export function BarTable({ label, unit, rows }: BarTableProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <table class="bars">
      <caption>{label}</caption>
      <tbody>
        {rows.map(({ name, value, text }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{text ?? `${value} ${unit}`}</td>
            <td aria-hidden="true" class="bar-cell">
              <svg viewBox="0 0 100 4" preserveAspectRatio="none">
                <rect width={(100 * value) / most} height="4" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
