interface TableHeadProps {
  names: readonly string[]
  /** Names of columns that explain themselves, and are read out only. */
  hidden?: readonly string[]
}

/** The names of the columns of a table. */
export function TableHead({ names, hidden = [] }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {hidden.includes(name) ? <span class="visually-hidden">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
