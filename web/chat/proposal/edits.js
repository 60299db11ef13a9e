// The changes that the panel makes, as the server takes them (docs/proposals.md).
export const addPerson = (person) => ({ kind: "add", person });
export const correctPerson = (id, values) => ({ kind: "correct", person: id, set: values });
export const removePerson = (id) => ({ kind: "remove", person: id });
export const chooseVariant = (id) => ({ kind: "choose", variant: id });
export const leaveOut = (what, person = null) => ({ kind: "without", what, person });
export const takeBack = (what, person = null) => ({ kind: "with", what, person });
export const wantSum = (need, person, amount) => ({ kind: "sum", need, person, amount });
export const AGAIN = { kind: "again" };

// What a form of budget and wishes changed: one edit for each thing that is other than before. What comes back comes
// first, so that never everything is left out on the way.
export function otherWishes(before, after) {
  const stood = before.wishes.without.filter((item) => !item.person).map((item) => item.what);
  const same = before.budget?.amount === after.budget?.amount && before.budget?.per === after.budget?.per;
  return [
    !same && { kind: "budget", amount: null, ...after.budget },
    after.renewal !== before.wishes.renewal && { kind: "renewal", value: after.renewal },
    ...stood.filter((what) => !after.without.includes(what)).map((what) => takeBack(what)),
    ...after.without.filter((what) => !stood.includes(what)).map((what) => leaveOut(what)),
  ].filter(Boolean);
}
