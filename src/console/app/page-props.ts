/** Parts of an address that a page gets. */
export interface PageProps {
  /** Named groups of the pattern, decoded. */
  params: Readonly<Record<string, string>>
  search: URLSearchParams
}
