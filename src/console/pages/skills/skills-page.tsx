import { useMethod } from '../../app/use-method.ts'
import { ErrorMessage } from '../../components/error-message.tsx'

export function Page() {
  const { data, error } = useMethod('list_skills', {})
  return (
    <section>
      <h1>Skills</h1>
      {error !== undefined && <ErrorMessage error={error} />}
      <ul>
        {data?.skills.map(({ name, description }) => (
          <li key={name}>
            <strong>{name}</strong> {description}
          </li>
        ))}
      </ul>
    </section>
  )
}
