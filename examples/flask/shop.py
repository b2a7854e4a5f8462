"""A small bookshop with recommendations. Start it with `flask --app shop run`."""

import os
import re
import secrets
import uuid
from datetime import timedelta

from flask import Flask, abort, redirect, render_template, request, session
from flask_wtf import CSRFProtect

import recommendations
from catalog import BOOKS, GENRES, find_books, list_genre, newest_books, stock_of, take_copies

MAX_CART = 20

app = Flask(__name__)
app.config.update(
    # Signs the session cookie. Without a secret, a restart logs everybody out.
    SECRET_KEY=os.environ.get("SESSION_SECRET") or secrets.token_hex(32),
    SESSION_COOKIE_SAMESITE="Lax",
    SESSION_COOKIE_SECURE=os.environ.get("HTTPS") == "1",
    PERMANENT_SESSION_LIFETIME=timedelta(days=365),
    MAX_CONTENT_LENGTH=4096,
)
CSRFProtect(app)
app.jinja_env.globals["stock_of"] = stock_of
# So that filters know the stock from the first call on.
recommendations.send_stock(list(BOOKS))


@app.before_request
def keep_session():
    session.permanent = True


@app.after_request
def forbid_scripts(response):
    response.headers["Content-Security-Policy"] = "default-src 'none'; form-action 'self'; frame-ancestors 'none'"
    return response


def shopper():
    """The ID under which Tastegraph knows the shopper: the user, or an anonymous visitor."""
    if "user" in session:
        return session["user"]
    return session.setdefault("visitor", f"visitor-{uuid.uuid4()}")


def merge_visitor():
    """Tries again on the next home page if Tastegraph does not answer."""
    if "user" in session and "visitor" in session:
        if recommendations.move_events(session["visitor"], session["user"]):
            del session["visitor"]


@app.get("/")
def home():
    merge_visitor()
    ids = recommendations.recommend(shopper(), session.get("cart", []))
    if ids is None:
        return render_template("shelf.html", id="new", title="New books", books=newest_books(6))
    return render_template("shelf.html", id="for-you", title="For you", books=find_books(ids))


@app.get("/books")
def books():
    genre = request.args.get("genre", GENRES[0])
    return render_template("books.html", genres=GENRES, genre=genre, books=list_genre(genre))


@app.get("/books/<id>")
def book(id):
    found = BOOKS.get(id) or abort(404)
    recommendations.send_view(shopper(), id)
    ids = recommendations.goes_with(shopper(), [id])
    genre = found["genres"][0]
    more = newest_books(4, list_genre(genre)) if ids is None else []
    return render_template("book.html", book=found, similar=find_books(ids or []), genre=genre, more=more)


@app.get("/cart")
def cart():
    ids = session.get("cart", [])
    goes_with = recommendations.goes_with(shopper(), ids) if ids else None
    return render_template("cart.html", books=find_books(ids), goes_with=find_books(goes_with or []))


@app.post("/cart")
def add_to_cart():
    id = request.form.get("book", "")
    if stock_of(id) == 0:
        abort(409, "This book is sold out.")
    session["cart"] = [*session.get("cart", []), id][-MAX_CART:]
    return redirect("/cart", 303)


@app.post("/order")
def order():
    bought = take_copies(session.get("cart", []))
    session["cart"] = []
    if bought:
        recommendations.send_order(shopper(), bought)
    return render_template("shelf.html", id="bought", title="Thank you", books=find_books(bought))


@app.post("/login")
def login():
    # Replace this with a real login: here, everybody may be anybody.
    name = request.form.get("name", "")
    if not re.fullmatch("[a-z0-9-]{1,40}", name) or name.startswith("visitor-"):
        abort(400, "A name has 1 to 40 letters a to z, digits and hyphens.")
    session["user"] = name
    merge_visitor()
    return redirect("/", 303)


@app.post("/logout")
def logout():
    # The next visitor at this computer starts anew.
    session.clear()
    return redirect("/", 303)
