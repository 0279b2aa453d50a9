import { Link } from '../app/link.tsx'

export function NotFound({ path }: { path: string }) {
  return (
    <section>
      <h1>There is no page "{path}"</h1>
      <p>
        <Link to="/">All skills</Link>
      </p>
    </section>
  )
}
