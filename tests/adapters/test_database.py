"""The service database and the customer store on it."""

from __future__ import annotations

import asyncio
import csv
import multiprocessing
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from app.adapters.customer_seed import load_customers, rrn_check_digit, seed_customers
from app.adapters.customer_store import SqlCustomerStore
from app.adapters.database import Database, open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.tables import metadata
from app.errors import BadRequest, CustomerNotFound, DataFaults, NotFound, StartError, Unavailable
from app.insurance.ages import full_age, insurance_age
from app.insurance.catalogue import Catalogue
from app.insurance.customers import CustomerStore, NewFollowupTask
from app.settings import ROOT
from scripts.build_customers import build

DATA = ROOT / "data"
TODAY = date(2026, 11, 2)
CIPHER = FieldCipher(b"k" * 32)


def url_of(folder: Path) -> str:
    return f"sqlite+aiosqlite:///{folder / 'state' / 'customer.db'}"


@pytest.fixture
async def database(tmp_path: Path, catalogue: Catalogue) -> AsyncIterator[Database]:
    opened = await open_database(url_of(tmp_path), CIPHER)
    await seed_customers(opened, DATA, catalogue)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> CustomerStore:
    return SqlCustomerStore(database)


# --- the data -----------------------------------------------------------------------------------------------------


def test_the_stored_files_are_what_the_script_makes(catalogue: Catalogue) -> None:
    for name, made in build(catalogue).items():
        assert (DATA / "customers" / name).read_text(encoding="utf-8") == made


def test_there_are_enough_customers_and_contracts_in_every_state(catalogue: Catalogue) -> None:
    files = load_customers(DATA, catalogue)
    assert len(files.customers) >= 220 and len(files.contracts) >= 430
    assert {contract.status for contract in files.contracts} == {"유지", "해지", "실효", "만기", "부활"}
    assert {contract.product_code for contract in files.contracts} == {product.code for product in catalogue.products}
    names = [customer.name for customer in files.customers]
    assert names.count("김민수") == 1
    assert sorted(name for name in set(names) if names.count(name) > 1) == ["이영희"]


def test_nobody_real_can_have_these_numbers(catalogue: Catalogue) -> None:
    for customer in load_customers(DATA, catalogue).customers:
        assert customer.phone.startswith("010-0")
        assert int(customer.rrn[-1]) != rrn_check_digit(customer.rrn)
        assert customer.rrn.startswith(f"{customer.birth_date:%y%m%d}-")


def test_every_contract_was_made_at_an_entry_age_and_default_ones_cost_what_the_table_says(
    catalogue: Catalogue,
) -> None:
    files = load_customers(DATA, catalogue)
    people = {customer.customer_id: customer for customer in files.customers}
    plain = 0
    for contract in files.contracts:
        person, product = people[contract.customer_id], catalogue.product(contract.product_code)
        age = insurance_age(person.birth_date, contract.contract_date)
        assert age in product.entry_age
        mandatory = {rider.code for rider in product.riders if rider.mandatory}
        if (
            contract.sum_insured == product.sum_insured.default
            and contract.plan == product.default_plan.name
            and set(contract.rider_codes) == mandatory
        ):
            assert contract.premium == catalogue.premium(product.code, age, person.gender)
            plain += 1
    assert plain >= 80


def test_seed_files_with_faults_are_told_with_file_and_line(tmp_path: Path, catalogue: Catalogue) -> None:
    folder = tmp_path / "data" / "customers"
    folder.mkdir(parents=True)
    for name in ("customers.csv", "contracts.csv"):
        lines = (DATA / "customers" / name).read_text("utf-8").splitlines()[:2]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    good = dict(zip(*csv.reader((folder / "contracts.csv").read_text("utf-8").splitlines()), strict=True))
    damages = ({"product_code": "B00000001"}, {"customer_id": "C9999"}, {"plan": "없는 플랜"}, {"status": "실효"})
    with (folder / "contracts.csv").open("a", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        for number, damage in enumerate(damages):
            rows.writerow({**good, "contract_id": f"P90000{number}", **damage}.values())
    with pytest.raises(DataFaults) as caught:
        load_customers(tmp_path / "data", catalogue)
    assert [fault.line for fault in caught.value.faults] == [3, 4, 5, 6]
    assert {fault.file for fault in caught.value.faults} == {"data/customers/contracts.csv"}


# --- opening ------------------------------------------------------------------------------------------------------


async def test_the_migrations_make_exactly_the_tables_of_the_code(database: Database) -> None:
    async with database.reading() as connection:
        columns = await connection.run_sync(
            lambda sync: {
                name: {column["name"] for column in inspect(sync).get_columns(name)}
                for name in inspect(sync).get_table_names()
                if name != "alembic_version"
            }
        )
    assert columns == {table.name: {column.name for column in table.columns} for table in metadata.sorted_tables}


async def test_sqlite_runs_in_wal_with_a_busy_timeout_and_foreign_keys(database: Database) -> None:
    async with database.reading() as connection:
        assert (await connection.execute(text("PRAGMA journal_mode"))).scalar_one() == "wal"
        assert (await connection.execute(text("PRAGMA busy_timeout"))).scalar_one() >= 5000
        assert (await connection.execute(text("PRAGMA foreign_keys"))).scalar_one() == 1


async def test_opening_and_seeding_again_changes_nothing(tmp_path: Path, catalogue: Catalogue) -> None:
    first = await open_database(url_of(tmp_path), CIPHER)
    assert await seed_customers(first, DATA, catalogue) >= 220
    request = await SqlCustomerStore(first).add_service_request(customer_id="C0001", action="조회", requested_by="kim")
    await first.close()
    again = await open_database(url_of(tmp_path), CIPHER)
    assert await seed_customers(again, DATA, catalogue) == 0
    assert await SqlCustomerStore(again).service_requests_of("C0001") == (request,)
    await again.close()


def _open_and_seed(url: str) -> int:
    async def work() -> int:
        from app.insurance.catalogue import load_catalogue

        database = await open_database(url, CIPHER)
        added = await seed_customers(database, DATA, load_catalogue(DATA, "라이나생명"))
        await database.close()
        return added

    return asyncio.run(work())


def test_processes_that_start_at_once_seed_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        added = pool.map(_open_and_seed, [url_of(tmp_path)] * 3)
    assert sorted(added)[:2] == [0, 0] and max(added) >= 220


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "DATABASE_URL"),
        ("mystery+driver://x/y", "드라이버"),
        ("sqlite:////proc/nowhere/customer.db", "폴더"),
    ],
)
async def test_a_url_that_cannot_work_stops_the_start_and_says_why(url: str, message: str) -> None:
    with pytest.raises(StartError, match=message):
        await open_database(url)


async def test_a_file_that_is_no_database_stops_the_start(tmp_path: Path) -> None:
    path = tmp_path / "customer.db"
    path.write_bytes(b"this is not a database, it only looks like a file" * 100)
    with pytest.raises(StartError, match=r"customer\.db"):
        await open_database(f"sqlite:///{path}")


async def test_a_password_never_stands_in_the_message() -> None:
    with pytest.raises(StartError) as caught:
        await open_database("mystery+driver://user:secret@host/db")
    assert "secret" not in str(caught.value)


async def test_a_database_that_stays_locked_is_unavailable_not_a_crash(tmp_path: Path, catalogue: Catalogue) -> None:
    database = await open_database(url_of(tmp_path), CIPHER)
    await seed_customers(database, DATA, catalogue)
    async with database.reading() as connection:
        await connection.execute(text("PRAGMA busy_timeout = 50"))  # the one pooled connection
    holder = sqlite3.connect(tmp_path / "state" / "customer.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(Unavailable, match="잠시 후"):
            await SqlCustomerStore(database).add_service_request(customer_id="C0001", action="조회", requested_by="kim")
        assert (await SqlCustomerStore(database).get_customer("C0001")).name == "김민수"  # readers go on
    finally:
        holder.close()
        await database.close()


# --- reading ------------------------------------------------------------------------------------------------------


async def test_kim_minsu_has_exactly_two_contracts_in_force_one_at_the_known_premium(
    store: CustomerStore, catalogue: Catalogue
) -> None:
    (kim,) = await store.customers_named("김민수")
    contracts = await store.contracts_of(kim.customer_id)
    assert [contract.status for contract in contracts] == ["유지", "유지"]
    newest = contracts[0]
    assert (newest.product_code, newest.contract_date, newest.premium) == ("B00115023", date(2024, 3, 15), 20_625)
    assert (kim.gender, kim.insurance_age(newest.contract_date)) == ("M", 45)
    assert newest == await store.get_contract(newest.contract_id)


async def test_two_people_of_one_name_are_both_found_and_differ(store: CustomerStore) -> None:
    first, second = await store.customers_named(" 이영희 ")
    assert first.birth_date != second.birth_date
    codes = [{c.product_code for c in await store.contracts_of(x.customer_id)} for x in (first, second)]
    assert codes[0].isdisjoint(codes[1])


async def test_a_customer_never_carries_phone_or_rrn(store: CustomerStore) -> None:
    page = await store.find_customers(today=TODAY, gender="F", limit=100)
    assert set(page.customers[0].model_dump()) == {"customer_id", "name", "birth_date", "gender", "job"}
    assert "010-" not in page.model_dump_json()


@pytest.mark.parametrize("name", ["%", "_", "%민%", "김_수", "\\", "김민수%", "' OR 1=1 --"])
async def test_wildcards_in_a_name_match_nothing(store: CustomerStore, name: str) -> None:
    assert (await store.find_customers(today=TODAY, name=name)).total == 0


@pytest.mark.parametrize("criteria", [{}, {"name": ""}, {"name": "   "}])
async def test_a_search_without_criteria_lists_nobody(store: CustomerStore, criteria: dict[str, str]) -> None:
    with pytest.raises(BadRequest, match="검색 조건"):
        await store.find_customers(today=TODAY, **criteria)


@pytest.mark.parametrize("limit", [0, -1, 101])
async def test_a_limit_out_of_range_is_refused(store: CustomerStore, limit: int) -> None:
    with pytest.raises(BadRequest, match=str(limit)):
        await store.find_customers(today=TODAY, name="김", limit=limit)


async def test_names_are_found_by_a_part_in_any_unicode_form(store: CustomerStore) -> None:
    import unicodedata

    page = await store.find_customers(today=TODAY, name=unicodedata.normalize("NFD", "민수"))
    assert "김민수" in {customer.name for customer in page.customers}


@pytest.mark.parametrize("today", [TODAY, date(2028, 2, 29), date(2027, 2, 28), date(2027, 3, 1)])
async def test_ages_are_full_ages_on_the_day_asked_for(store: CustomerStore, catalogue: Catalogue, today: date) -> None:
    everybody = load_customers(DATA, catalogue).customers
    for low, high in ((40, 40), (47, 48), (60, 75)):
        wanted = {x.customer_id for x in everybody if low <= full_age(x.birth_date, today) <= high}
        page = await store.find_customers(today=today, age_min=low, age_max=high, limit=100)
        assert {x.customer_id for x in page.customers} == wanted and page.total == len(wanted)
    with pytest.raises(BadRequest, match="50~40"):
        await store.find_customers(today=today, age_min=50, age_max=40)


async def test_a_product_means_a_contract_of_it_in_force(store: CustomerStore, catalogue: Catalogue) -> None:
    living = {
        contract.customer_id
        for contract in load_customers(DATA, catalogue).contracts
        if contract.product_code == "B00115023" and contract.in_force
    }
    page = await store.find_customers(today=TODAY, product_code="B00115023", limit=5)
    assert page.total == len(living) and len(page.customers) == 5


async def test_unknown_people_and_contracts_are_named_in_the_error(store: CustomerStore) -> None:
    with pytest.raises(CustomerNotFound, match="C9999"):
        await store.get_customer("C9999")
    with pytest.raises(CustomerNotFound, match="C9999"):
        await store.contracts_of("C9999")
    with pytest.raises(NotFound, match="P999999"):
        await store.get_contract("P999999")
    assert await store.customers_named("없는사람") == ()


# --- writing ------------------------------------------------------------------------------------------------------


async def test_a_service_request_is_kept_and_repeating_its_key_records_nothing_new(store: CustomerStore) -> None:
    before = datetime.now(UTC)
    asked = [
        await store.add_service_request(
            customer_id="C0001",
            contract_id="P000001",
            action="주소변경",
            details={"new_address": "서울시"},
            requested_by="kim",
            request_key="thread-1:call-1",
        )
        for _ in range(2)
    ]
    assert asked[0] == asked[1]
    assert asked[0].created_at >= before and asked[0].status == "접수"
    assert await store.service_requests_of("C0001") == (asked[0],)


async def test_many_repeats_at_once_record_one_request(store: CustomerStore) -> None:
    made = await asyncio.gather(
        *(
            store.add_service_request(customer_id="C0002", action="조회", requested_by="kim", request_key="same")
            for _ in range(12)
        )
    )
    assert len({request.request_id for request in made}) == 1
    assert len(await store.service_requests_of("C0002")) == 1


async def test_a_request_for_somebody_elses_contract_is_refused(store: CustomerStore) -> None:
    with pytest.raises(BadRequest, match="P000001"):
        await store.add_service_request(customer_id="C0002", contract_id="P000001", action="해지", requested_by="kim")
    with pytest.raises(CustomerNotFound):
        await store.add_service_request(customer_id="C9999", action="해지", requested_by="kim")
    assert await store.service_requests_of("C0002") == ()


async def test_followup_tasks_are_saved_and_listed_by_due_date(store: CustomerStore) -> None:
    later = NewFollowupTask(title="서류 확인", due_date=date(2026, 12, 1))
    sooner = NewFollowupTask(title="안내 전화", due_date=date(2026, 11, 5), note="오전에")
    saved = await store.add_followup_tasks("C0003", [later, sooner], created_by="tmr-7")
    assert [task.title for task in await store.followup_tasks_of("C0003")] == ["안내 전화", "서류 확인"]
    assert {task.created_by for task in saved} == {"tmr-7"} and not any(task.done for task in saved)
    assert await store.add_followup_tasks("C0003", [], created_by="tmr-7") == ()
    with pytest.raises(CustomerNotFound):
        await store.add_followup_tasks("C9999", [later], created_by="tmr-7")
